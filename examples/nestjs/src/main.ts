import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ShopModule } from './shop.module.js';

// The signature of an event is over the body as it came.
const app = await NestFactory.create(ShopModule, { rawBody: true, logger: ['error'] });
await app.listen(Number(process.env['PORT'] ?? 3000));
