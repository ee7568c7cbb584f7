// Starts the sandbox, the session server and the shop. Ctrl-C stops them, and so does the end of one.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
// The server says less than alone; `npm run server` shows all of its log.
const env = { PAY_LOG_LEVEL: 'warn', ...process.env };
const start = (name, stdout) =>
  spawn(process.execPath, scripts[name].split(' ').slice(1), {
    stdio: ['inherit', stdout, 'inherit'],
    env,
  });
const parts = [start('sandbox', 'ignore'), start('server', 'inherit'), start('shop', 'inherit')];
let isStopping = false;
const stop = () => {
  isStopping = true;
  parts.forEach((part) => part.kill());
};
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, stop);
for (const part of parts) {
  part.on('exit', (code) => {
    process.exitCode ||= code ?? 0;
    stop();
  });
}

const isUp = (address) =>
  fetch(address).then(
    ({ ok }) => ok,
    () => false,
  );
const addresses = ['{{shop}}', '{{server}}/readyz', '{{sandbox}}'];
while (!isStopping && !(await Promise.all(addresses.map(isUp))).every(Boolean)) {
  await new Promise((resolve) => setTimeout(resolve, 100));
}
if (!isStopping) {
  console.log(`
The shop is at {{shop}}
Pay with the card 9000 0000 0000 0001, any future date, any code. Other cards decline, wait or fail: {{sandbox}}
The dashboard is at {{dashboard}}: sign in with PAY_CHECKOUT_API_KEY of shop.env
Ctrl-C stops it.`);
}
