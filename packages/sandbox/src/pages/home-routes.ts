import { Router } from 'express';
import type { SandboxContext } from '../context.js';
import type { SandboxControl } from '../control/sandbox-control.js';
import { SDK_INTEGRITY } from '../sdk/sdk-routes.js';
import { renderHome } from './home-page.js';
import { sendPage } from './page-layout.js';

/** `/`: a page for people. */
export function homeRoutes(context: SandboxContext, control: SandboxControl): Router {
  const { scenarios, merchants, partners } = context.settings;
  return Router().get('/', (_request, response) => {
    sendPage(response, 200, {
      title: 'Payments sandbox',
      layout: 'wide',
      body: renderHome(control, scenarios, merchants, partners, SDK_INTEGRITY),
    });
  });
}
