import { describe, expect, it, vi } from 'vitest';

describe('importing the package where there is no page', () => {
  it('neither throws nor does anything', async () => {
    const fetching = vi.spyOn(globalThis, 'fetch');
    const timing = vi.spyOn(globalThis, 'setTimeout');
    const { PayCheckout } = await import('../src/index.ts');
    expect(PayCheckout).toBeTypeOf('function');
    expect(globalThis).not.toHaveProperty('document');
    expect(fetching).not.toHaveBeenCalled();
    expect(timing).not.toHaveBeenCalled();
  });

  it('does no harm twice', async () => {
    vi.resetModules();
    await expect(import('../src/index.ts')).resolves.toHaveProperty('PayCheckout');
  });
});
