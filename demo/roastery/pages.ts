/** The roastery's pages, in Arabic and from right to left. They have no script but that of the tag. */
import { COFFEES, CURRENCY, CURRENCY_DECIMALS } from './coffees.js';
import type { OrderState, RoasteryOrder } from './order-store.js';

const money = new Intl.NumberFormat('ar', {
  style: 'currency',
  currency: CURRENCY,
  minimumFractionDigits: CURRENCY_DECIMALS,
});

const formatPrice = (price: string): string => money.format(price as Intl.StringNumericLiteral);

const STATES: Readonly<Record<Exclude<OrderState, 'awaiting_payment'>, string>> = {
  paid: 'تم الدفع. شكرًا لك، سنرسل قهوتك اليوم.',
  refunded_in_part: 'تم الدفع، ثم رددنا إليك جزءًا من المبلغ.',
  refunded: 'تم رد المبلغ كاملًا.',
};

/** What the tag needs on a page of an order that can be paid. */
export interface Payment {
  readonly merchant: string;
  readonly payPublicUrl: string;
  readonly orderToken: string;
  /** The hosted page of the order, for a message or a QR code. */
  readonly payUrl: string;
}

export function shelfPage(): string {
  const coffees = COFFEES.map(
    ({ sku, name, summary, price }) => `<li>
      <h2>${name}</h2>
      <p>${summary}</p>
      <form method="post" action="/roastery/orders">
        <input type="hidden" name="sku" value="${sku}">
        <b>${formatPrice(price)}</b>
        <button>اطلب الآن<span class="hidden">: ${name}</span></button>
      </form>
    </li>`,
  );
  return page('قهوتنا', `<h1>قهوة تُحمّص كل صباح</h1><ul class="coffees">${coffees.join('')}</ul>`);
}

export function paymentPage(
  { order, coffee }: RoasteryOrder,
  payment: Payment,
  drawer?: string,
): string {
  const { merchant, payPublicUrl, orderToken, payUrl } = payment;
  return page(
    'الدفع',
    `<h1>${coffee.name}</h1>
    <pay-checkout merchant="${merchant}" order="${order}" order-token="${orderToken}"></pay-checkout>
    <p><a href="${payUrl}?locale=ar">الدفع في صفحة مستقلة</a></p>
    <p><a href="/roastery/orders/${order}">حالة الطلب</a></p>`,
    {
      head: `<script src="${payPublicUrl}/v1/pay-checkout.js" async crossorigin></script>`,
      drawer,
    },
  );
}

export function orderPage({ coffee, state }: RoasteryOrder, drawer?: string): string {
  const words = state === 'awaiting_payment' ? 'نتحقق من الدفع. لا تدفع مرة أخرى.' : STATES[state];
  return page('طلبك', `<h1>${coffee.name}</h1><p role="status">${words}</p>`, { drawer });
}

export function problemPage(words: string): string {
  return page('تعذّر ذلك', `<h1>${words}</h1><p><a href="/roastery">العودة إلى المتجر</a></p>`);
}

function page(
  title: string,
  main: string,
  { head = '', drawer = '' }: { head?: string; drawer?: string | undefined } = {},
): string {
  return `<!doctype html>
<html lang="ar" dir="rtl">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · محمصة الغيمة السابعة</title>
    <link rel="icon" href="/roastery/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/roastery/roastery.css">
    ${head}
  </head>
  <body>
    <header><a href="/roastery">محمصة الغيمة السابعة</a></header>
    <main>${main}</main>
    <footer lang="en" dir="ltr">
      Seventh Cloud Roastery, the second merchant of this demo: its own brand, split rules and secrets,
      a currency with three decimals, and orders that are put by API. No money moves.
      <a href="/">The first one</a>
    </footer>
    ${drawer}
  </body>
</html>`;
}
