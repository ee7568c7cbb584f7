/** The single file for a page's `<script>`: it defines the element, and leaves nothing else behind. */
// The words and the events first: what comes behind them is smaller so, once it is compressed.
import './labels/en.js';
import './flow/flow-teller.js';
import './pay-checkout/pay-checkout.js';
