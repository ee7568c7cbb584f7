import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import config from './web-test-runner.config.mjs';

const folder = process.env.PAY_PICTURES;

/** `executeServerCommand('take-picture', {name, clip})`: a file in the folder `PAY_PICTURES`. */
const takePicture = {
  name: 'take-picture',
  async executeCommand({ command, payload, session }) {
    if (command !== 'take-picture') return undefined;
    const { name, clip } = payload;
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, await session.browser.getPage(session.id).screenshot({ clip }));
    return true;
  },
};

/** Takes a picture of each state of the element: `npm run pictures`. */
export default {
  ...config,
  files: 'src/testing/pictures.ts',
  groups: [],
  plugins: [...config.plugins, takePicture],
};
