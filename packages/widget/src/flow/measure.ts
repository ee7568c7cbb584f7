import { PayMetricEvent, type MetricName } from '../events/pay-metric.js';

/**
 * Tells the page how long something took, as an event and as a User Timing measure of which each
 * name keeps the last. `startTime` is in milliseconds of `performance.now()`.
 */
export function measure(target: EventTarget, name: MetricName, start: number): void {
  const label = `pay-checkout:${name}`;
  performance.clearMeasures(label);
  const { duration } = performance.measure(label, { start });
  target.dispatchEvent(new PayMetricEvent(name, start, duration));
}
