/** The single file defines the tag and exports nothing. */
import type {} from '../dist/index.js';
