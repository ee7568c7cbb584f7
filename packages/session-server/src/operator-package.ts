import type { RequestHandler } from 'express';
import type { Config } from './config.js';
import { ConfigError } from './errors.js';
import type { OperatorRoutes } from './metrics/listener.js';
import type { DashboardParts, OperatorParts } from './server.js';

/** An optional peer: the page and commands of the platform team, and the page of a merchant. Not a literal, so that the build does not need it. */
const OPERATOR_PACKAGE: string = '@pay-checkout/operator';

/** Answers the lines that it prints. */
type Command<Given extends unknown[]> = (
  config: Config,
  ...given: [...Given, isJson: boolean]
) => Promise<string[]>;

/** What this package calls of it. */
export interface OperatorPackage {
  readonly createOperator: (parts: OperatorParts) => OperatorRoutes;
  readonly createDashboard: (parts: DashboardParts) => RequestHandler;
  readonly runEvents: Command<[words: readonly string[]]>;
  readonly runExplain: Command<[order: string, merchant: string | undefined]>;
  readonly runReport: Command<[words: readonly string[]]>;
  readonly runWebhooks: Command<[]>;
}

/**
 * Loads the optional package: the only place that does.
 *
 * @param wantedBy a setting or a command
 * @throws {ConfigError} naming what installs it
 */
export async function loadOperator(wantedBy: string): Promise<OperatorPackage> {
  try {
    return (await import(OPERATOR_PACKAGE)) as OperatorPackage;
  } catch (error) {
    // What the package itself does not find is an error of its own.
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${OPERATOR_PACKAGE}'`)) throw error;
    const why = `it needs a package that is not installed: npm install ${OPERATOR_PACKAGE}`;
    throw new ConfigError(wantedBy, [why], true);
  }
}
