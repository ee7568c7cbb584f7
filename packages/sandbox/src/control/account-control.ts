import { FIRST_KEY } from '../accounts.js';
import type { SandboxContext } from '../context.js';
import { ApiError } from '../http/errors.js';
import type { AnalyticsPartner, Merchant } from '../accounts.js';

/** API keys, merchants and partners. */
export function accountControl(context: SandboxContext) {
  const { accounts, clock, inventor, schedules, signupLinks, transfers } = context;
  return {
    /** Without the keys themselves. */
    keys: () => accounts.keys().map(({ name, resellerId }) => ({ name, resellerId })),

    /**
     * Makes a key that knows the merchants of a reseller, or all.
     *
     * @returns it in full, which nothing else does
     */
    addKey({ name, resellerId }: { name: string; resellerId?: number | undefined }) {
      refuseKnown(accounts.keys(), 'name', name);
      const key = `key_${inventor.bytes(24).toString('base64url')}`;
      accounts.addKey({ name, key, resellerId });
      return { name, key, resellerId };
    },

    /** From now on calls with it are refused. That of the settings can be removed, too. */
    removeKey(name: string): void {
      requireRemoved(accounts.removeKey(name), `key "${name}"; the first one is "${FIRST_KEY}"`);
    },

    merchants: () => accounts.merchants(),

    /** With report schedules, a signup link and transfers, as those of the settings have. */
    addMerchant(merchant: Merchant): Merchant {
      refuseKnown(accounts.merchants(), 'id', merchant.id);
      accounts.addMerchant(merchant);
      schedules.add(merchant, accounts.resellerOf(merchant.id));
      signupLinks.add(merchant, clock.now());
      transfers.add(merchant);
      return merchant;
    },

    /** It gets no new sessions. Its transactions stay, and its open sessions can be paid. */
    removeMerchant(id: number): void {
      requireRemoved(accounts.removeMerchant(id), `merchant ${String(id)}`);
    },

    partners: () => accounts.partners(),

    addPartner(partner: AnalyticsPartner): AnalyticsPartner {
      refuseKnown(accounts.partners(), 'name', partner.name);
      accounts.addPartner(partner);
      return partner;
    },

    /** From now on its `partner_name` gets 403. */
    removePartner(name: string): void {
      requireRemoved(accounts.removePartner(name), `partner "${name}"`);
    },
  };
}

function refuseKnown<Field extends string>(
  known: readonly Readonly<Partial<Record<Field, unknown>>>[],
  field: Field,
  value: unknown,
): void {
  if (!known.some((each) => each[field] === value)) return;
  throw new ApiError(409, `There is one with this ${field}. Remove it first.`, {
    fields: [{ field, message: 'expected one that is not in use' }],
  });
}

function requireRemoved(wasThere: boolean, what: string): void {
  if (!wasThere) throw new ApiError(404, `There is no ${what}.`);
}
