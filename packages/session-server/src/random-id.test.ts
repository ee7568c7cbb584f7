import { describe, expect, it } from 'vitest';
import { hashToken, randomId } from './random-id.js';

describe('a random id', () => {
  it('is 22 characters that a URL carries as they are', () => {
    expect(randomId()).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  it('never comes twice', () => {
    const ids = Array.from({ length: 10_000 }, randomId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the stored form of a token', () => {
  it('is its SHA-256: return addresses that are out there stay good in every release', () => {
    // printf 'token' | openssl dgst -sha256 -binary | openssl base64, URL-safe
    expect(hashToken('token')).toBe('PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A');
  });
});
