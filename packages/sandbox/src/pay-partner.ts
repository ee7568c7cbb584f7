/** A line for a shell, after which the provider's command line, `pay-partner`, calls a sandbox. */
export function exportForPayPartner({
  url,
  apiKey,
  merchantsPrefix = '/merchants-sandbox',
  transfersPrefix = '',
}: {
  readonly url: string;
  readonly apiKey: string;
  readonly merchantsPrefix?: string;
  readonly transfersPrefix?: string;
}): string {
  const variables = {
    PAY_PARTNER_ENVIRONMENT: 'sandbox',
    PAY_PARTNER_BASE_URL: url,
    PAY_PARTNER_MERCHANTS_BASE_URL: url + merchantsPrefix,
    PAY_PARTNER_TRANSFERS_BASE_URL: url + transfersPrefix,
    PAY_PARTNER_API_KEY: apiKey,
  };
  return `export ${Object.entries(variables)
    .map(([name, value]) => `${name}=${quoteForShell(value)}`)
    .join(' ')}`;
}

function quoteForShell(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
