/** A page without a form, perhaps with a button. */
import { followHeight, postToParent, wireLeaving } from './frame-messages.js';

const { failure, notice = '' } = document.body.dataset;
if (failure === undefined) postToParent('ready');
else postToParent('failed', { code: failure, message: notice });
followHeight();
wireLeaving();
