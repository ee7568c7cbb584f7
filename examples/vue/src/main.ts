import { configure } from '@pay-checkout/widget';
import { createApp } from 'vue';
import Payment from './Payment.vue';

const { server, ...order } = await (await fetch(`/api${location.pathname}`)).json();
configure({ server });
createApp(Payment, order).mount('#app');
