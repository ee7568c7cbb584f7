import { bootstrapApplication } from '@angular/platform-browser';
import { configure } from '@pay-checkout/widget';
import { ORDER, Payment } from './payment';

const { server, ...order } = await (await fetch(`/api${location.pathname}`)).json();
configure({ server });
await bootstrapApplication(Payment, { providers: [{ provide: ORDER, useValue: order }] });
