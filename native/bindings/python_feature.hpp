#pragma once
// Features written in Python, as native search sees them. Python is entered once per sentence for rule features and
// once per state and span for state features; answers are kept, so search itself never waits for Python twice.
#include <nanobind/nanobind.h>

#include <functional>
#include <memory>

#include "features/chart_feature.hpp"
#include "features/feature.hpp"
#include "features/names.hpp"

namespace dragoman {

std::function<std::unique_ptr<features::RuleFeature>()> python_rule_feature(
    nanobind::object feature, std::shared_ptr<features::FeatureNames> names);
std::function<std::unique_ptr<features::StateFeature>()> python_state_feature(
    nanobind::object feature, std::shared_ptr<features::FeatureNames> names);
std::function<std::unique_ptr<features::ChartFeature>()> python_chart_feature(
    nanobind::object feature, std::shared_ptr<features::FeatureNames> names);

}  // namespace dragoman
