import { describe, expect, it } from 'vitest';
import type { ShopOrder } from '../orders/order-lookup.js';
import { deriveAvs, normalizePostcode, type OrderAddress, toAvsFields } from './avs.js';

const ORDER: ShopOrder = { order: 'A1001', amount: '9.99', currency: 'GBP', status: 'payable' };

/** Lines of invented addresses, and what is derived. `docs/avs.md` shows some of them. */
const LINES: readonly (readonly [
  line1: string,
  line2: string,
  house: string | undefined,
  flat: string | undefined,
])[] = [
  ['7 Mill Lane', '', '7', undefined],
  ['  7   Mill Lane ', '', '7', undefined],
  ['7, Mill Lane', '', '7', undefined],
  ['7a Mill Lane', '', '7A', undefined],
  ['7 A Mill Lane', '', '7A', undefined],
  ['No. 7 Mill Lane', '', '7', undefined],
  ['no 7 Mill Lane', '', '7', undefined],
  ['Number 7, Mill Lane', '', '7', undefined],
  ['#7 Mill Lane', '', '7', undefined],
  ['12-14 Mill Lane', '', '12-14', undefined],
  ['12 – 14 Mill Lane', '', '12-14', undefined],
  ['12a-14b Mill Lane', '', '12A-14B', undefined],
  ['Flat 2, 14 Larch Road', '', '14', '2'],
  ['Flat 2 14 Larch Road', '', '14', '2'],
  ['FLAT 2B, 14A LARCH ROAD', '', '14A', '2B'],
  ['flat b, 14 Larch Road', '', '14', 'B'],
  ['Flat2, 14 Larch Road', '', '14', '2'],
  ['Flat No. 2, 14 Larch Road', '', '14', '2'],
  ['14 Larch Road, Flat 2', '', '14', '2'],
  ['Flat 2', '14 Larch Road', '14', '2'],
  ['Apartment 31, 20 Quay View', '', '20', '31'],
  ['Apt. 31 20 Quay View', '', '20', '31'],
  ['Unit B4, 3 Foundry Yard', '', '3', 'B4'],
  ['Suite 9, 100 Foundry Yard', '', '100', '9'],
  ['Room 101, 5 College Row', '', '5', '101'],
  ['3/2, 45 Tenement Street', '', '45', '3/2'],
  ['3/2 45 Tenement Street', '', '45', '3/2'],
  ['Flat 3/2, 45 Tenement Street', '', '45', '3/2'],
  ['14/3 Tenement Street', '', undefined, undefined],
  ['3/2, Tenement Court', '', undefined, undefined],
  ['Rose Cottage', '', undefined, undefined],
  ['Rose Cottage', '7 Mill Lane', '7', undefined],
  ['Rose Cottage, 7 Mill Lane', '', '7', undefined],
  ['The Old Flat, 7 Mill Lane', '', '7', undefined],
  ['Kiln Flats, 7 Mill Lane', '', '7', undefined],
  ['Unity House, 7 Mill Lane', '', '7', undefined],
  ['2nd Floor, 7 Mill Lane', '', '7', undefined],
  ['21st Street', '', undefined, undefined],
  ['7½ Mill Lane', '', undefined, undefined],
  ['Unit 5, Foundry Yard', '', undefined, '5'],
  ['PO Box 123', '', undefined, undefined],
  ['P.O. Box 123, 7 Mill Lane', '', undefined, undefined],
  ['p o box 123', '7 Mill Lane', '7', undefined],
  ['', '7 Mill Lane', '7', undefined],
  ['Mill Lane', '', undefined, undefined],
  // Flats that are named, in blocks, or that may be none.
  ['Top Flat 7 Mill Lane', '', '7', 'TOP'],
  ['Ground Floor Flat, 7 Mill Lane', '', '7', 'GROUND FLOOR'],
  ['1st Floor Flat 7 Mill Lane', '', '7', '1ST FLOOR'],
  ['Basement Flat', '7 Mill Lane', '7', 'BASEMENT'],
  ['Top Flat 7, 14 Larch Road', '', undefined, 'TOP'],
  ['Block C Flat 9, 22 Larch Road', '', '22', '9'],
  ['Flat 9 Block C, 22 Larch Road', '', '22', '9'],
  ['Tower 3, 22 Larch Road', '', '22', undefined],
  ['Flat 2 Rose Court, 14 Larch Road', '', '14', '2'],
  ['Flat 2 Rose Court 14 Larch Road', '', undefined, undefined],
  ['Flat 7 Mill Lane', '', undefined, undefined],
  ['Apt 4, The Mill, 12 Quay Street', '', '12', '4'],
  ['c/o A. Person, 7 Mill Lane', '', '7', undefined],
  // Numbers that may be two, or a flat and a house.
  ['12/14 Mill Lane', '', undefined, undefined],
  ['2/14 Larch Road', '', undefined, undefined],
  ['7 & 9 Mill Lane', '', undefined, undefined],
  ['7 and 9 Mill Lane', '', undefined, undefined],
  ['Flats 1, 2 and 3, 14 Larch Road', '', '14', undefined],
  ['123 1/2 Mill Lane', '', undefined, undefined],
  ['37-15 73rd Street', '', undefined, undefined],
  ['7-9-11 Mill Lane', '', undefined, undefined],
  ['1234 Mill Lane', '', '1234', undefined],
  ['350 5th Avenue', '', '350', undefined],
  // The number after the street.
  ['Hauptstraße 12', '', '12', undefined],
  ['Hauptstrasse 12 a', '', '12A', undefined],
  ['Hauptstr. 12-14', '', '12-14', undefined],
  ['Hauptstraße 14-2', '', undefined, undefined],
  ['Hauptstraße 12/3', '', undefined, undefined],
  ['Hauptstraße 12, 10115 Exstadt', '', '12', undefined],
  ['Hauptstraße 12', '10115 Exstadt', '12', undefined],
  ['Straße des 17. Juni 135', '', '135', undefined],
  ['Straße 12', '', undefined, undefined],
  ['Unter den Linden 77', '', '77', undefined],
  ['Keizersgracht 174-2', '', '174', '2'],
  ['Keizersgracht 174-176', '', '174-176', undefined],
  ['Dorpsstraat 5', '1012 AB Exdam', '5', undefined],
  ['Via Roma 12/A', '', '12A', undefined],
  ['Via Roma, 12', '', '12', undefined],
  ['Calle Mayor nº 12', '', '12', undefined],
  ['Calle Mayor, 12, 3º B', '', '12', undefined],
  ['C/ Mayor 12', '', '12', undefined],
  ['Calle 8', '', undefined, undefined],
  ['Av. Central, 1578', '', '1578', undefined],
  ['12 bis rue des Lilas', '', '12 BIS', undefined],
  ['Rue des Lilas 12', '', '12', undefined],
  ['Storgatan 5 B lgh 1101', '', '5B', '1101'],
  ['Vestergade 4, 2. tv', '', '4', undefined],
  ['Kossuth utca 12.', '', '12', undefined],
  ['Mannerheimintie 12 A 5', '', undefined, undefined],
  // Numbers of something else.
  ['Rose Cottage', '10115 Exstadt', undefined, undefined],
  ['Rose Cottage', '8001 Exwil', undefined, undefined],
  ['Highway 61', '', undefined, undefined],
  ['Plot 12', '', undefined, undefined],
  ['Mill Road Industrial Estate 4', '', undefined, undefined],
];

const POSTCODES: readonly (readonly [given: string, sent: string])[] = [
  ['ZZ1 1ZZ', 'ZZ1 1ZZ'],
  ['ZZ11ZZ', 'ZZ1 1ZZ'],
  ['zz1 1zz', 'ZZ1 1ZZ'],
  [' zz1  1zz ', 'ZZ1 1ZZ'],
  ['z z 1 1 z z', 'ZZ1 1ZZ'],
  ['zz1a1zz', 'ZZ1A 1ZZ'],
  ['zz991zz', 'ZZ99 1ZZ'],
  ['z11zz', 'Z1 1ZZ'],
  ['GIR0AA', 'GIR 0AA'],
  ['99999', '99999'],
  ['9999 zz', '9999 ZZ'],
  ['x1x 1x1', 'X1X 1X1'],
  ['x99 xx99', 'X99 XX99'],
];

describe('the house number and flat of an address', () => {
  it.each(LINES)('%j, %j: house %s, flat %s', (address1, address2, house, flat) => {
    const derived = deriveAvs({ address1, address2 });
    expect(derived.AvsHouseNumber).toBe(house);
    expect(derived.flat).toBe(flat);
  });

  it('are the ones that the shop gives, whatever its lines say', () => {
    const given = { houseNumber: ' 9 b ', flat: 'C', address1: 'Flat 2, 14 Larch Road' };
    expect(deriveAvs(given)).toMatchObject({ AvsHouseNumber: '9B', flat: 'C' });
    expect(deriveAvs({ houseNumber: 'Rose  Cottage' }).AvsHouseNumber).toBe('ROSE COTTAGE');
  });

  it('leave the lines as the shop wrote them, but for spaces', () => {
    expect(deriveAvs({ address1: ' Flat 2,  14 Larch Road ', address2: 'Exton' })).toMatchObject({
      address1: 'Flat 2, 14 Larch Road',
      address2: 'Exton',
    });
  });

  it.each<OrderAddress>([
    {},
    { address1: '', address2: '  ', flat: ' ', houseNumber: '', postcode: ' ' },
    { address1: undefined, postcode: undefined },
  ])('are left out, never empty, when nothing is known: %j', (address) => {
    expect(deriveAvs(address)).toEqual({});
  });
});

describe('a postcode', () => {
  it.each(POSTCODES)('%j is sent as %j', (given, sent) => {
    expect(normalizePostcode(given)).toBe(sent);
    expect(deriveAvs({ postcode: given }).AvsPostcode).toBe(sent);
  });
});

describe('what a shopper typed', () => {
  it.each([
    ['12 Larch Road', { AvsHouseNumber: '12' }],
    ['Flat 2, 14a Larch Road', { AvsHouseNumber: '14A', flat: '2' }],
    ['12 a', { AvsHouseNumber: '12A' }],
    ['Rose Cottage', { AvsHouseNumber: 'ROSE COTTAGE' }],
  ])('as house number “%s” is sent as a house number', (houseNumber, expected) => {
    expect(toAvsFields(ORDER, { houseNumber, postcode: 'zz11zz' })).toEqual({
      ...expected,
      AvsPostcode: 'ZZ1 1ZZ',
    });
  });

  it('comes before what the shop knows', () => {
    const order = { ...ORDER, address: { houseNumber: '1', flat: '9', postcode: 'ZZ9 9ZZ' } };
    const typed = { houseNumber: '4', postcode: 'zz11zz', flat: '3' };
    expect(toAvsFields(order, typed)).toEqual({
      AvsHouseNumber: '4',
      AvsPostcode: 'ZZ1 1ZZ',
      flat: '3',
    });
    expect(toAvsFields(order, undefined)).toMatchObject({ AvsHouseNumber: '1', flat: '9' });
  });
});
