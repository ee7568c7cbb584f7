export { TransactionCsv, type TransactionCsvOptions } from './csv/transaction-csv.js';
