import { Controller, Get, Header, NotFoundException, Param, Post, Req, Res } from '@nestjs/common';
import { PayCheckout } from '@pay-checkout/merchant';
import type { Request, Response } from 'express';

const server = process.env['PAY_CHECKOUT_SERVER'] ?? '';
const pay = new PayCheckout({
  server,
  merchant: 'teashop',
  apiKey: process.env['PAY_CHECKOUT_API_KEY'],
  signingSecret: process.env['PAY_CHECKOUT_SIGNING_SECRET'],
});
const prices = new Map([['A1001', { amount: '9.99', currency: 'GBP' }]]);
const paid = new Set<string>();
const receive = pay.events.handler({
  expectedAmount: (order) => prices.get(order),
  onPaid: ({ order }) => paid.add(order),
});

@Controller()
export class ShopController {
  @Get('pay/:order')
  @Header('content-type', 'text/html')
  async page(@Param('order') order: string): Promise<string> {
    const price = prices.get(order);
    if (!price) throw new NotFoundException();
    const { orderToken } = await pay.orders.put(order, price);
    return `<!doctype html>
      <html lang="en">
        <title>Pay</title>
        <script src="${server}/v1/pay-checkout.js" async crossorigin></script>
        <pay-checkout merchant="teashop" order="${order}" order-token="${orderToken}"></pay-checkout>
        <p id="thanks" hidden>See you soon!</p>
        <script>
          document.addEventListener('pay-paid', () => (document.querySelector('#thanks').hidden = false));
        </script>
      </html>`;
  }

  @Get('orders/:order')
  order(@Param('order') order: string): { paid: boolean } {
    return { paid: paid.has(order) };
  }

  @Post('events')
  events(@Req() request: Request, @Res() response: Response): Promise<void> {
    return receive(request, response);
  }
}
