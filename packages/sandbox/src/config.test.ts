import { describe, expect, it } from 'vitest';
import { parseConfig } from './config.js';

describe('parseConfig', () => {
  it('needs a key, and has a default for the rest', () => {
    expect(parseConfig({ SANDBOX_API_KEY: 'invented' })).toEqual({
      host: '127.0.0.1',
      port: 4300,
      apiKey: 'invented',
    });
  });

  it('reads everything', () => {
    const merchants = [{ id: 7, name: 'Seven', currency: 'EUR' }];
    expect(
      parseConfig({
        SANDBOX_API_KEY: 'invented',
        SANDBOX_HOST: '::1',
        SANDBOX_PORT: '0',
        SANDBOX_PUBLIC_URL: 'http://sandbox.localhost:4300',
        SANDBOX_MERCHANTS: JSON.stringify(merchants),
      }),
    ).toEqual({
      host: '::1',
      port: 0,
      apiKey: 'invented',
      publicUrl: 'http://sandbox.localhost:4300',
      merchants,
    });
  });

  it('names every bad value at once', () => {
    const environment = {
      SANDBOX_PORT: 'four',
      SANDBOX_PUBLIC_URL: 'sandbox',
      SANDBOX_MERCHANTS: '[{"id":1,"name":"","currency":"pounds"}]',
    };
    expect(() => parseConfig(environment)).toThrow(
      /SANDBOX_PORT[^]*SANDBOX_API_KEY[^]*SANDBOX_PUBLIC_URL[^]*SANDBOX_MERCHANTS: 0\.name, 0\.currency/,
    );
    expect(() => parseConfig({ SANDBOX_API_KEY: 'k', SANDBOX_MERCHANTS: 'x' })).toThrow('not JSON');
  });
});
