import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const compilerOptions = { isCustomElement: (tag) => tag === 'pay-checkout' };

export default defineConfig({ plugins: [vue({ template: { compilerOptions } })] });
