"""The server: translation over HTTP, for programs, for clients of LibreTranslate, and as a page."""
