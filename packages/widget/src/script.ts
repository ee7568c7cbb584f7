/** The single file for a page's `<script>`: it defines the element and leaves nothing else behind. */
import './pay-checkout/pay-checkout.js';
