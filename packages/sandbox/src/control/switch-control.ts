import type { SandboxContext } from '../context.js';
import {
  describeSwitches,
  switchesChange,
  type DescribedSwitch,
  type Switches,
  type SwitchesChange,
} from '../switches.js';

/** What the spec does not show. */
export function switchControl({ settings, startSwitches }: SandboxContext) {
  return {
    /** The switches as they are now. */
    switches: settings as Readonly<Switches>,

    /** Every switch with its value, its default and its section of the spec. */
    describeSwitches(): DescribedSwitch[] {
      return describeSwitches(settings);
    },

    /** Changes some switches. `null` sets one back to its value at the start. */
    setSwitches(change: SwitchesChange): void {
      const values = Object.entries(switchesChange.parse(change))
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, value ?? startSwitches[name as keyof Switches]] as const);
      Object.assign(settings, Object.fromEntries(values));
    },
  };
}
