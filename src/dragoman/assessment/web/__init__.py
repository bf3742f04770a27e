"""The web application: pages for assessors and for the organiser, and the database that keeps every judgement.

`store` needs SQLAlchemy and the rest FastAPI, so nothing is imported here.
"""
