import '@pay-checkout/widget/pay-checkout.js';

document.querySelector('pay-checkout')?.start();
document.addEventListener('pay-paid', ({ order }) => order?.length);

// @ts-expect-error There is no such method.
export const wrong: { pay(): void } | null = document.querySelector('pay-checkout');
