import type { FlowController } from './flow-controller.js';

/** Starts the payment once the element has come into view. */
export function startWhenVisible(flow: FlowController, signal: AbortSignal): void {
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) flow.start(true);
  });
  observer.observe(flow.host);
  signal.addEventListener('abort', () => observer.disconnect());
}
