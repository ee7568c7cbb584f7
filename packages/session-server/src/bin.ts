#!/usr/bin/env node
// No static imports: an older Node cannot load what the server imports, and would print a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 22 || (major === 22 && minor >= 19)) {
  await import('./main.js');
} else {
  process.stderr.write(
    `pay-session-server: it needs Node 22.19 or newer; this is Node ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}
