import { paid } from '../../../lib/shop.js';

export async function GET(_request, { params }) {
  const { order } = await params;
  return Response.json({ paid: paid.has(order) });
}
