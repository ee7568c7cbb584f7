import { expect, it } from 'vitest';
import { joinChunks } from './join-chunks.js';

it.each([[[]], [['one']], [['one', ' and ', 'another']]])(
  '%j comes together',
  (texts: string[]) => {
    expect(joinChunks(texts.map((text) => Buffer.from(text))).toString()).toBe(texts.join(''));
  },
);
