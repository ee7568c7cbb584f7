import { describe, expect, it } from 'vitest';
import { toPlainLine } from './child-process.js';

describe('what a process prints', () => {
  it('is shown as its message when it is a log line', () => {
    const line = '{"level":50,"time":1,"msg":"event not delivered","err":{"message":"refused"}}';
    expect(toPlainLine(line)).toBe('event not delivered: refused');
    expect(toPlainLine('{"level":40,"msg":"slow","code":"read_late"}')).toBe('slow (read_late)');
  });

  it('is shown as it is otherwise', () => {
    expect(toPlainLine('Error: no such file')).toBe('Error: no such file');
    expect(toPlainLine('{not json')).toBe('{not json');
  });
});
