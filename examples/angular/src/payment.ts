import { Component, CUSTOM_ELEMENTS_SCHEMA, inject, InjectionToken, signal } from '@angular/core';

export interface Order {
  readonly order: string;
  readonly orderToken: string;
  readonly payUrl: string;
}

export const ORDER = new InjectionToken<Order>('the order to pay');

@Component({
  selector: 'shop-payment',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <pay-checkout
      merchant="teashop"
      [attr.order]="order.order"
      [attr.order-token]="order.orderToken"
      (pay-paid)="isPaid.set(true)"
    >
      <a [href]="order.payUrl">Pay for order {{ order.order }}</a>
    </pay-checkout>
    @if (isPaid()) {
      <p>See you soon!</p>
    }
  `,
})
export class Payment {
  protected readonly order = inject(ORDER);
  protected readonly isPaid = signal(false);
}
