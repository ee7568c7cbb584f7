import { paid } from '../../lib/shop.js';

export const GET = ({ params: { order } }) => Response.json({ paid: paid.has(order) });
