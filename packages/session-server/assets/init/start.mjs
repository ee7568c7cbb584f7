// Starts the sandbox, the session server and the shop. Ctrl-C stops them, and so does the end of one.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
// The server says less than alone; `npm run server` shows all of its log.
const env = { PAY_LOG_LEVEL: 'warn', ...process.env };
const parts = ['sandbox', 'server', 'shop'].map((name) =>
  spawn(process.execPath, scripts[name].split(' ').slice(1), { stdio: 'inherit', env }),
);
const stop = () => parts.forEach((part) => part.kill());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
for (const part of parts) {
  part.on('exit', (code) => {
    process.exitCode ||= code ?? 0;
    stop();
  });
}
