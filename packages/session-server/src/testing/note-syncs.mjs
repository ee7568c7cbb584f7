// Loaded before a program that writes with a log: notes how much of the log the disk has kept, that
// is its length when SQLite last ended a commit, which it syncs first. A power cut may take the rest.
import fs from 'node:fs';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const DIGITS = 12;
const notes = fs.openSync(process.env.SYNC_NOTES, 'w');
const exec = DatabaseSync.prototype.exec;

DatabaseSync.prototype.exec = function (text) {
  exec.call(this, text);
  if (text !== 'COMMIT') return;
  const { size } = fs.statSync(`${this.location()}-wal`);
  // One write of one length: a kill leaves the note before or this one.
  fs.writeSync(notes, String(size).padStart(DIGITS, '0'), 0);
};
