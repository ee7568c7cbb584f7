import { defineConfig } from '@playwright/test';

export default defineConfig({
  use: {
    // Your shop, whose session server uses the sandbox.
    baseURL: process.env.SHOP ?? 'http://localhost:3000',
    // The browser that `npx playwright install chromium` brings, or another Chromium.
    launchOptions: {
      executablePath: process.env.CHROMIUM,
      args: process.env.CHROMIUM_ARGS?.split(' '),
    },
  },
});
