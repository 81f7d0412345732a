package dev.ropewalk.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Draws charts as SVG; both axes of a line chart and the bars are logarithmic. */
final class Chart {
    private static final int WIDTH = 760;
    private static final int LEFT = 190;
    private static final int RIGHT = 70;
    private static final int TOP = 44;
    private static final int LINE = 18;
    private static final List<String> COLOURS =
            List.of("#1b6ca8", "#c4542d", "#3c8d4f", "#7d4fa3", "#a8852b", "#4f7f87", "#b03a63");

    /** One bar. */
    record Bar(String label, double value, boolean isOurs) {}

    /** One line of a line chart. */
    record Curve(String label, List<double[]> points) {}

    private final StringBuilder svg = new StringBuilder();
    private final int height;

    private Chart(String title, int height) {
        this.height = height;
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                                + " viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                                + " font-size=\"12\">%n<rect width=\"%d\" height=\"%d\""
                                + " fill=\"#ffffff\"/>%n",
                        WIDTH,
                        height,
                        WIDTH,
                        height,
                        WIDTH,
                        height));
        text(10, 22, "start", title, "#222222");
    }

    /** Bars from the shortest scale's begin, the shorter the better. */
    static String bars(String title, List<Bar> bars) {
        double least = bars.stream().mapToDouble(Bar::value).min().orElse(1);
        double most = bars.stream().mapToDouble(Bar::value).max().orElse(1);
        double from = Math.floor(Math.log10(least) - 0.1);
        double to = Math.max(from + 1, Math.log10(most));
        Chart chart = new Chart(title, TOP + LINE * bars.size() + 14);
        int y = TOP;
        for (Bar bar : bars) {
            double share = (Math.log10(bar.value()) - from) / (to - from);
            double width = Math.max(1, share * (WIDTH - LEFT - RIGHT));
            chart.text(LEFT - 8, y + 12, "end", bar.label(), "#222222");
            chart.svg.append(
                    String.format(
                            Locale.ROOT,
                            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>%n",
                            LEFT,
                            y + 1,
                            width,
                            LINE - 4,
                            bar.isOurs() ? COLOURS.get(0) : "#b9c0c7"));
            chart.text(LEFT + width + 5, y + 12, "start", figure(bar.value()), "#222222");
            y += LINE;
        }
        return chart.end();
    }

    /** Curves over a common axis. */
    static String curves(String title, String xLabel, String yLabel, List<Curve> curves) {
        Chart chart = new Chart(title, 420);
        Axis x = Axis.of(curves, 0, 60, WIDTH - 170);
        Axis y = Axis.of(curves, 1, chart.height - 50, TOP + 16);
        chart.axis(x, y, xLabel, yLabel);
        int index = 0;
        for (Curve curve : curves) {
            chart.curve(curve, x, y, COLOURS.get(index % COLOURS.size()), index);
            index++;
        }
        return chart.end();
    }

    /** Maps the decimal logarithm of values to pixels. */
    private record Axis(int fromPower, int toPower, double fromPixel, double toPixel) {
        static Axis of(List<Curve> curves, int dimension, double fromPixel, double toPixel) {
            List<Double> values = new ArrayList<>();
            curves.forEach(c -> c.points().forEach(point -> values.add(point[dimension])));
            double least = values.stream().mapToDouble(Double::doubleValue).min().orElse(1);
            double most = values.stream().mapToDouble(Double::doubleValue).max().orElse(10);
            int from = (int) Math.floor(Math.log10(least));
            int to = Math.max(from + 1, (int) Math.ceil(Math.log10(most)));
            return new Axis(from, to, fromPixel, toPixel);
        }

        double pixel(double value) {
            double share = (Math.log10(value) - fromPower) / (toPower - fromPower);
            return fromPixel + share * (toPixel - fromPixel);
        }
    }

    private void axis(Axis x, Axis y, String xLabel, String yLabel) {
        for (int power = x.fromPower(); power <= x.toPower(); power++) {
            double at = x.pixel(Math.pow(10, power));
            line(at, y.fromPixel(), at, y.toPixel(), "#e3e6e8");
            text(at, y.fromPixel() + 16, "middle", figure(Math.pow(10, power)), "#555555");
        }
        for (int power = y.fromPower(); power <= y.toPower(); power++) {
            double at = y.pixel(Math.pow(10, power));
            line(x.fromPixel(), at, x.toPixel(), at, "#e3e6e8");
            text(x.fromPixel() - 6, at + 4, "end", figure(Math.pow(10, power)), "#555555");
        }
        text((x.fromPixel() + x.toPixel()) / 2, height - 12, "middle", xLabel, "#222222");
        text(10, TOP, "start", yLabel, "#222222");
    }

    private void curve(Curve curve, Axis x, Axis y, String colour, int index) {
        StringBuilder points = new StringBuilder();
        for (double[] point : curve.points()) {
            double atX = x.pixel(point[0]);
            double atY = y.pixel(point[1]);
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", atX, atY));
            svg.append(
                    String.format(
                            Locale.ROOT,
                            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                            atX,
                            atY,
                            colour));
        }
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\""
                                + " stroke-width=\"2\"/>%n",
                        points.toString().strip(),
                        colour));
        int at = TOP + 24 + index * LINE;
        line(WIDTH - 158, at - 4, WIDTH - 140, at - 4, colour);
        text(WIDTH - 135, at, "start", curve.label(), colour);
    }

    private void line(double x1, double y1, double x2, double y2, String colour) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
                        x1,
                        y1,
                        x2,
                        y2,
                        colour));
    }

    private void text(double x, double y, String anchor, String words, String colour) {
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n",
                        x,
                        y,
                        anchor,
                        colour,
                        words.replace("&", "&amp;").replace("<", "&lt;")));
    }

    private String end() {
        return svg.append("</svg>\n").toString();
    }

    /** {@return the figure with no more digits than it deserves} */
    static String figure(double value) {
        return String.format(Locale.ROOT, value < 100 ? "%.1f" : "%,.0f", value)
                .replaceAll("\\.0$", "");
    }
}
