import { Router } from 'express';
import { makeOpenapiDocument, type DocumentBases } from './openapi-document.js';

/** `/openapi.json`: the interface that the sandbox plays, for tools and for comparison. */
export function openapiRoutes(bases: DocumentBases): Router {
  const document = makeOpenapiDocument(bases);
  return Router().get('/openapi.json', (_request, response) => {
    response.json(document);
  });
}
