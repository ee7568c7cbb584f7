/**
 * `npm run pictures`: takes a picture of the element in each state, theme, direction and width, and puts
 * them on contact sheets, to be looked at before a visible change lands.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { browserEnvironment, findBrowser } from './browsers.mjs';
import { ROOT, spawnAndWait } from './child.mjs';

const FOLDER = join(ROOT, '.cache/pictures');
const WIDGET = join(ROOT, 'packages/widget');

const STYLE = `
  body { margin: 0; padding: 16px; background: #808891; font: 14px system-ui; }
  section { inline-size: max-content; }
  .row { display: flex; align-items: start; gap: 16px; }
  h2 { margin: 24px 0 8px; font-size: 16px; }`;

/** What is to be seen in a picture, and how wide its page was: `09-paid-390.png`. */
const NAME = /^\d+-(.+)-(\d+)\.png$/;

/**
 * A section of the contact sheet: each state with its pictures, the narrowest first.
 *
 * @param {string} sheet
 */
function renderSheet(sheet) {
  /** @type {Map<string, { width: number, picture: string }[]>} */
  const states = new Map();
  for (const file of readdirSync(join(FOLDER, sheet)).sort()) {
    const [, state = '', width = ''] = NAME.exec(file) ?? [];
    const picture = `<img src="${sheet}/${file}" width="${width}" alt="${state}, ${width} pixels">`;
    states.set(state, [...(states.get(state) ?? []), { width: Number(width), picture }]);
  }
  const rows = [...states].map(([state, pictures]) => {
    const sorted = pictures.sort((one, other) => one.width - other.width);
    const row = sorted.map(({ picture }) => picture).join('');
    return `<h2>${state.replaceAll('-', ' ')}</h2><div class="row">${row}</div>`;
  });
  return `<section id="${sheet}"><h1>${sheet}</h1>${rows.join('')}</section>`;
}

/** @param {import('./browsers.mjs').Browser} found */
async function makeSheets({ executablePath, args, env }) {
  const sheets = readdirSync(FOLDER);
  const page = join(FOLDER, 'index.html');
  const body = sheets.map(renderSheet).join('\n');
  writeFileSync(
    page,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures</title><style>${STYLE}</style><body>${body}`,
  );
  const browser = await chromium.launch({ executablePath, args, env: { ...process.env, ...env } });
  try {
    const tab = await browser.newPage({ viewport: { width: 1800, height: 1000 } });
    await tab.goto(pathToFileURL(page).href);
    for (const sheet of sheets) {
      const path = join(FOLDER, `${sheet}.png`);
      await tab.locator(`#${sheet}`).screenshot({ path });
      console.log(path);
    }
  } finally {
    await browser.close();
  }
  console.log(page);
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const browser = await findBrowser();
const runner = join(WIDGET, 'node_modules/@web/test-runner/dist/bin.js');
const config = 'web-test-runner.pictures.config.mjs';
process.exitCode = await spawnAndWait(process.execPath, [runner, '--config', config], {
  cwd: WIDGET,
  env: { ...process.env, ...browserEnvironment(browser), PAY_PICTURES: FOLDER },
});
if (process.exitCode === 0) await makeSheets(browser);
