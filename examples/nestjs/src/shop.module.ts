import { Module } from '@nestjs/common';
import { ShopController } from './shop.controller.js';

@Module({ controllers: [ShopController] })
export class ShopModule {}
