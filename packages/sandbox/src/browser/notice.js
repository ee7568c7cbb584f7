/** A page that only says something: no form, perhaps a button. */
import { followHeight, tellParent, wireLeaving } from './frame-messages.js';

const { failure, notice = '' } = document.body.dataset;
if (failure === undefined) tellParent('ready');
else tellParent('failed', { code: failure, message: notice });
followHeight();
wireLeaving();
