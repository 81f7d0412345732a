package dev.ropewalk.benchmarks.report;

import dev.ropewalk.benchmarks.scenario.Row;
import dev.ropewalk.benchmarks.scenario.Scenario;
import dev.ropewalk.benchmarks.scenario.SingleOperation;

/**
 * A part of the page: what is measured under one name.
 *
 * @param name of the scenario
 * @param operation what one operation is
 * @param unit of the figures
 * @param shape what is done
 */
record Part(String name, String operation, String unit, String shape) {
    static Part of(SingleOperation single) {
        return new Part(single.name(), single.operation(), single.unit(), single.shape());
    }

    static Part of(Row row) {
        Scenario scenario = row.scenario();
        return new Part(row.name(), scenario.operation(), scenario.unit().toString(), row.shape());
    }
}
