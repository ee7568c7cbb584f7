/** What a Trusted Types policy of ours does with addresses: nothing, they come from the server. */
const rules = { createScriptURL: (url: string): string => url };
/** Missing in older browsers, which is caught. */
declare const trustedTypes: {
  createPolicy(name: string, given: typeof rules): typeof rules;
};
let policy: typeof rules | undefined;

/**
 * The address of a script, as a page that enforces Trusted Types wants it: from the policy
 * `pay-checkout-sdk`. A page that refuses the name is left with a plain string, which its `default`
 * policy may still take.
 */
export function trustScript(url: string): string {
  try {
    policy ??= trustedTypes.createPolicy('pay-checkout-sdk', rules);
  } catch {
    policy = rules;
  }
  return policy.createScriptURL(url);
}
