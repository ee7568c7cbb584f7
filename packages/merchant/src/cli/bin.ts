#!/usr/bin/env node
import { main } from './main.js';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
process.exitCode = await main(process.argv.slice(2), process.env, {
  write: (line) => process.stdout.write(`${line}\n`),
  writeError: (line) => process.stderr.write(`${line}\n`),
  stop: stop.signal,
  hasColors: process.stdout.isTTY && process.stdout.hasColors(),
});
