import { configure } from '@pay-checkout/widget';
import { mount } from 'svelte';
import Payment from './Payment.svelte';

const { server, ...order } = await (await fetch(`/api${location.pathname}`)).json();
configure({ server });
mount(Payment, { target: document.querySelector('#app')!, props: order });
