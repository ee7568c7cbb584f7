import { hydrateRoot } from 'react-dom/client';
import { app, calls } from './app.js';

const root = document.querySelector('#root');
if (root) hydrateRoot(root, app(), { onRecoverableError: (error) => reportError(error) });
Object.assign(globalThis, { calls });
