import { paid } from '../shop.server.js';

export const loader = ({ params: { order } }) => Response.json({ paid: paid.has(order) });
