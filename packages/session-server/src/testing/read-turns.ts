/** The readers of three merchants at two accounts, as the version before left them. */
export const READ_TURNS_BEFORE = `
  INSERT INTO read_turns (
    account, provider_merchant_id, holder, lease_until, wanted_at, started_at, not_before, pages
  ) VALUES
    ('default', 1001, 'a', 9, 9, 100, 7000, '[{}]'),
    ('default', 1002, 'b', 9, 9, 300, 0, '[{}]'),
    ('north', 1001, 'c', 9, 9, 200, 0, '[{}]');`;

export const TURNS_OF_ACCOUNTS = `
  SELECT account, lease_until, wanted_at, started_at, read_since, not_before, pages FROM read_turns
  WHERE provider_merchant_id = 0 ORDER BY account`;

const FREE = { lease_until: 0, wanted_at: 0, read_since: null, pages: '[]' };

/** Those of the accounts: free, and no earlier than any reader of its merchants was to read. */
export const TURNS_AFTER = [
  { ...FREE, account: 'default', started_at: 300, not_before: 7000 },
  { ...FREE, account: 'north', started_at: 200, not_before: 0 },
];
