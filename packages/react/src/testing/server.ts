import { renderToString, version } from 'react-dom/server';
import { app } from './app.js';

export { version };

export const markup = renderToString(app());
