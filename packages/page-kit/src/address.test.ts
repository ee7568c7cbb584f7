import { describe, expect, it } from 'vitest';
import { findPage, linkTo } from './address.js';

const PAGES = [{ path: 'queues' }, { path: 'orders' }, { path: 'orders/:merchant/:order' }];

describe('the address of a page', () => {
  it.each([
    ['', 'queues', {}],
    ['#/', 'queues', {}],
    ['#/?state=open', 'queues', { state: 'open' }],
    ['#/orders?q=A1%201', 'orders', { q: 'A1 1' }],
    [
      '#/orders/teashop/A%2F1?x=1',
      'orders/:merchant/:order',
      { merchant: 'teashop', order: 'A/1', x: '1' },
    ],
    ['#/orders/teashop/100%', 'orders/:merchant/:order', { merchant: 'teashop', order: '100%' }],
  ])('%s leads to it', (hash, path, params) => {
    expect(findPage(hash, PAGES)).toEqual({ page: { path }, params });
  });

  it('may lead nowhere', () => {
    expect(findPage('#/orders/teashop', PAGES)).toBeUndefined();
  });

  it('is made of a path and what is given of a query', () => {
    expect(linkTo('orders', { q: 'A 1', state: undefined, from: '' })).toBe('#/orders?q=A+1');
    expect(linkTo('orders')).toBe('#/orders');
  });
});
