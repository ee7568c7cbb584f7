// Loaded before a program that writes with a log: notes how much of the log the disk has kept, that
// is its length when the last sync that has ended was asked for. A power cut may take the rest.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

const DIGITS = 12;
const notes = fs.openSync(process.env.SYNC_NOTES, 'w');
const sync = fs.fdatasync;

fs.fdatasync = (descriptor, answer) => {
  const { size } = fs.fstatSync(descriptor);
  sync(descriptor, (error) => {
    // One write of one length: a kill leaves the note before or this one.
    if (!error) fs.writeSync(notes, String(size).padStart(DIGITS, '0'), 0);
    answer(error);
  });
};
syncBuiltinESMExports();
