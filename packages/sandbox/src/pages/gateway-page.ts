import type { Response } from 'express';

/** Answers as something in front of the provider would: a web page where JSON was expected. */
export function sendGatewayPage(response: Response, status: number): void {
  response
    .status(status)
    .type('html')
    .send(
      `<!doctype html>\n<html lang="en">\n<head><title>${status}</title></head>\n` +
        `<body><h1>${status}</h1><hr><address>sandbox gateway</address></body>\n</html>\n`,
    );
}
