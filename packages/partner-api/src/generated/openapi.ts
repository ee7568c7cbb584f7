// Made from src/contract by `pnpm generate`; do not edit.

/** The provider's interface as an OpenAPI 3.1 document; `x-not-shown` marks what is open. */
export const partnerApiContract = {
  openapi: '3.1.0',
  info: {
    title: 'Payments Partner API',
    version: '0',
    description: 'Made from the contract of the client. `x-not-shown` marks what is left open.',
    'x-not-shown': 'Deprecation and change policy. Rate limits. Issuing and expiry of keys.',
  },
  servers: [
    {
      url: '{base_url}',
      variables: {
        base_url: {
          default: 'https://api.example',
        },
      },
    },
  ],
  paths: {
    '/v1/transactions/list': {
      post: {
        operationId: 'transactions.list',
        summary: 'List transactions, newest first.',
        'x-section': '4.1',
        'x-effect': 'read',
        'x-not-shown': ['The success status.'],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  fromDate: {
                    type: 'string',
                    description: 'Date, YYYY-MM-DD.',
                  },
                  toDate: {
                    type: 'string',
                    description: 'Date, YYYY-MM-DD.',
                  },
                  limit: {
                    type: 'integer',
                    description: 'Page size.',
                    'x-not-shown': 'Maximum and default.',
                  },
                  cursor: {
                    type: 'string',
                  },
                  status: {
                    type: 'array',
                    items: {
                      type: 'string',
                    },
                    examples: [['SUCCESS', 'REFUND']],
                  },
                  merchantId: {
                    type: 'integer',
                  },
                  timezone: {
                    type: 'string',
                  },
                  resellerId: {
                    type: 'integer',
                  },
                },
                'x-not-shown': 'Which fields are required.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    data: {
                      type: 'object',
                      properties: {
                        transactions: {
                          type: 'array',
                          items: {
                            $ref: '#/components/schemas/Transaction',
                          },
                        },
                        timezone: {
                          type: 'string',
                        },
                      },
                      required: ['transactions'],
                      additionalProperties: {},
                    },
                    pagination: {
                      type: 'object',
                      properties: {
                        hasMore: {
                          type: 'boolean',
                        },
                        nextCursor: {
                          description: 'Opaque.',
                          'x-not-shown': 'Its lifetime.',
                          type: 'string',
                        },
                      },
                      required: ['hasMore'],
                      additionalProperties: {},
                    },
                  },
                  required: ['data', 'pagination'],
                  additionalProperties: {},
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/v1/reports/update-schedule': {
      post: {
        operationId: 'reports.updateSchedule',
        summary: 'Update a report schedule.',
        'x-section': '4.2',
        'x-effect': 'set',
        'x-not-shown': ['The success status.'],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  id: {
                    type: 'string',
                  },
                  status: {
                    type: 'string',
                    examples: ['active'],
                    'x-not-shown': 'All values.',
                  },
                  schedule_type: {
                    type: 'string',
                    examples: ['daily'],
                    'x-not-shown': 'All values.',
                  },
                  notification_email: {
                    type: 'string',
                  },
                },
                'x-not-shown': 'Which fields are required.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  $ref: '#/components/schemas/ReportSchedule',
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/api/v1/merchants/merchant-association': {
      post: {
        operationId: 'merchants.associate',
        summary: "Reactivate a merchant's signup link, which is extended by 14 days.",
        'x-section': '4.3',
        'x-effect': 'create',
        'x-not-shown': ['The success status.'],
        servers: [
          {
            url: '{merchants_sandbox_base_url}',
            description: 'Sandbox; ends in a path prefix.',
            variables: {
              merchants_sandbox_base_url: {
                default: 'https://sandbox.example/prefix',
              },
            },
          },
          {
            url: '{merchants_production_base_url}',
            description: 'Production; ends in a path prefix.',
            variables: {
              merchants_production_base_url: {
                default: 'https://merchants.example/prefix',
              },
            },
          },
        ],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  action: {
                    type: 'string',
                    examples: ['reactivate'],
                    'x-not-shown': 'Other values.',
                  },
                  merchantId: {
                    type: 'string',
                  },
                },
                'x-not-shown': 'Which fields are required.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    message: {
                      type: 'string',
                    },
                  },
                  required: ['message'],
                  additionalProperties: {},
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/api/v1/schedule-transfer/{mid}': {
      get: {
        operationId: 'scheduledTransfers.list',
        summary: 'Read the scheduled transfers of a merchant account. A GET that can carry a body.',
        'x-section': '4.4',
        'x-effect': 'read',
        'x-not-shown': [
          'The success status.',
          'How the request is authenticated.',
          'The base address of production.',
        ],
        servers: [
          {
            url: '{transfers_base_url}',
            description: 'The payments host of the sandbox.',
            variables: {
              transfers_base_url: {
                default: 'https://sandbox.example',
              },
            },
          },
        ],
        parameters: [
          {
            name: 'mid',
            in: 'path',
            required: true,
            description: 'The merchant identifier.',
            schema: {
              type: 'string',
            },
          },
        ],
        security: [],
        requestBody: {
          required: false,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  request_id: {
                    type: 'string',
                  },
                  data: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: {
                        schedule_transfer_id: {
                          type: 'string',
                        },
                        currency: {
                          type: 'string',
                        },
                        schedule: {
                          type: 'string',
                          description: 'A cron expression.',
                        },
                        description: {
                          type: 'string',
                        },
                        refrence: {
                          type: 'string',
                          description: 'Spelled so.',
                        },
                      },
                    },
                  },
                },
                'x-not-shown': 'What a body does on this request.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'array',
                  items: {
                    $ref: '#/components/schemas/ScheduledTransfer',
                  },
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/v1/analytics/partner_analytics': {
      post: {
        operationId: 'analytics.partner',
        summary: 'Read the analytics of a partner for a timeframe.',
        'x-section': '4.5',
        'x-effect': 'read',
        'x-not-shown': ['The success status.'],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  partner_name: {
                    type: 'string',
                  },
                  timeframe: {
                    examples: ['weekly', 'monthly', 'quarterly', 'custom'],
                    'x-not-shown': 'What happens when it is omitted.',
                    type: 'string',
                  },
                  from_date: {
                    type: 'string',
                    description: 'Date, YYYY-MM-DD.',
                  },
                  to_date: {
                    type: 'string',
                    description: 'Date, YYYY-MM-DD.',
                  },
                },
                required: ['partner_name'],
                description: 'custom needs both dates, at most 90 days.',
              },
            },
          },
        },
        responses: {
          '403': {
            description: 'The partner name is unknown.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    success: {
                      type: 'boolean',
                    },
                    data: {
                      type: 'object',
                      propertyNames: {
                        type: 'string',
                      },
                      additionalProperties: {},
                      'x-not-shown': 'Names of the metrics.',
                    },
                  },
                  required: ['data'],
                  additionalProperties: {},
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/create-session': {
      post: {
        operationId: 'checkoutSessions.create',
        summary: 'Create a checkout session for the client SDK.',
        'x-section': '4.6',
        'x-effect': 'create',
        'x-not-shown': ['The success status.'],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  host: {
                    type: 'string',
                  },
                  merchant_id: {
                    type: 'integer',
                  },
                  order_id: {
                    type: 'integer',
                  },
                  customer_id: {
                    type: 'string',
                  },
                  provider: {
                    type: 'string',
                  },
                  email: {
                    type: 'string',
                  },
                  phoneNumber: {
                    type: 'string',
                  },
                  name: {
                    type: 'string',
                  },
                  Amount: {
                    type: 'string',
                    description: 'Decimal amount.',
                  },
                  AvsHouseNumber: {
                    type: 'string',
                  },
                  AvsPostcode: {
                    type: 'string',
                  },
                  MerchantReference: {
                    type: 'string',
                  },
                  RedirectUrl: {
                    type: 'string',
                  },
                  CancelUrl: {
                    type: 'string',
                  },
                  WebhookUrl: {
                    type: 'string',
                  },
                  backurl: {
                    type: 'string',
                  },
                  firstname: {
                    type: 'string',
                  },
                  lastname: {
                    type: 'string',
                  },
                  flat: {
                    type: 'string',
                  },
                  address1: {
                    type: 'string',
                  },
                  address2: {
                    type: 'string',
                  },
                  SplitFee: {
                    type: 'array',
                    items: {
                      $ref: '#/components/schemas/SplitFee',
                    },
                  },
                },
                'x-not-shown': 'Which fields are required.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    session_id: {
                      type: 'string',
                    },
                  },
                  required: ['session_id'],
                  additionalProperties: {},
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/developer-service/webhooks/create': {
      post: {
        operationId: 'webhooks.create',
        summary: 'Create a webhook endpoint.',
        'x-section': '4.7',
        'x-effect': 'once',
        'x-not-shown': [
          'The success status.',
          'How deliveries are signed, and in which header.',
          'Payloads of real events.',
        ],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  url: {
                    type: 'string',
                  },
                  description: {
                    type: 'string',
                  },
                  events: {
                    type: 'array',
                    items: {
                      type: 'string',
                    },
                    'x-not-shown': 'Names of the events.',
                  },
                  hmac_key: {
                    type: 'string',
                    description: 'Optional; made by the provider when omitted.',
                  },
                },
                'x-not-shown': 'Which fields are required.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    data: {
                      type: 'object',
                      properties: {
                        webhook_id: {
                          type: 'string',
                        },
                        hmac_key: {
                          type: 'string',
                          description: 'In full in this answer only.',
                        },
                      },
                      required: ['webhook_id', 'hmac_key'],
                      additionalProperties: {},
                    },
                  },
                  required: ['data'],
                  additionalProperties: {},
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
    '/developer-service/webhooks/test': {
      post: {
        operationId: 'webhooks.test',
        summary: 'Send a test delivery and return what the endpoint answered.',
        'x-section': '4.8',
        'x-effect': 'once',
        'x-not-shown': ['The success status.'],
        security: [
          {
            apiKey: [],
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: {
                  webhookId: {
                    type: 'string',
                  },
                  resellerId: {
                    type: 'integer',
                  },
                },
                'x-not-shown': 'Which fields are required.',
              },
            },
          },
        },
        responses: {
          '2XX': {
            description: 'Success.',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    data: {
                      type: 'object',
                      properties: {
                        status_code: {
                          type: 'integer',
                        },
                        response: {
                          type: 'string',
                        },
                      },
                      additionalProperties: {},
                    },
                  },
                  required: ['data'],
                  additionalProperties: {},
                },
              },
            },
          },
          default: {
            description: 'Any other answer.',
            'x-not-shown': 'Error codes and the shape of their bodies.',
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Transaction: {
        type: 'object',
        properties: {
          id: {
            type: 'string',
          },
          source: {
            type: 'string',
            examples: ['payments'],
          },
          transactionTime: {
            type: 'string',
            description: 'ISO 8601, UTC, with milliseconds.',
          },
          orderRef: {
            type: 'string',
          },
          amount: {
            type: 'number',
          },
          currencyCode: {
            type: 'string',
          },
          status: {
            type: 'string',
            examples: ['SUCCESS', 'REFUNDED'],
            'x-not-shown': 'All values.',
          },
          merchantId: {
            type: 'integer',
          },
          merchantName: {
            type: 'string',
          },
          paymentMethod: {
            type: 'string',
            examples: ['New Card', 'Saved Card', 'Apple Pay', 'Google Pay'],
          },
          transactionModeId: {
            type: 'integer',
            examples: [1, 2],
          },
          internalReference: {
            type: 'string',
          },
          pspReference: {
            type: 'string',
          },
          last4Digits: {
            type: 'string',
          },
          shopperId: {
            type: 'string',
          },
          service_fee: {
            type: 'number',
          },
          firstname: {
            type: 'string',
          },
          lastname: {
            type: 'string',
          },
          resellerOrderId: {
            type: 'string',
          },
          customerType: {
            type: 'string',
          },
          net: {
            type: 'number',
          },
          deductions: {
            type: 'number',
          },
          amountRefunded: {
            type: 'number',
          },
        },
        additionalProperties: {},
        description: 'Section 2.1. Further properties may come.',
        'x-not-shown': 'Which fields are present in which variant.',
      },
      ReportSchedule: {
        type: 'object',
        properties: {
          id: {
            type: 'string',
          },
          reseller_id: {
            type: 'integer',
          },
          merchant_id: {
            type: 'integer',
          },
          merchant_name: {
            type: 'string',
          },
          report_type: {
            type: 'string',
          },
          schedule_type: {
            type: 'string',
            examples: ['one_time', 'daily'],
          },
          cadence: {
            type: 'string',
          },
          status: {
            type: 'string',
            examples: ['active'],
            'x-not-shown': 'All values.',
          },
          run_status: {
            type: 'string',
            examples: ['pending'],
            'x-not-shown': 'All values.',
          },
          from_date: {
            type: 'string',
            description: 'Date, YYYY-MM-DD.',
          },
          to_date: {
            type: 'string',
            description: 'Date, YYYY-MM-DD.',
          },
          email: {
            type: 'string',
          },
          notification_email: {
            type: 'string',
          },
          requested_by: {
            type: 'string',
          },
          download_url: {
            type: 'string',
          },
          row_count: {
            type: 'integer',
          },
          file_size_bytes: {
            type: 'integer',
          },
          error_code: {
            type: 'string',
          },
          error_message: {
            type: 'string',
          },
          completed_at: {
            type: 'string',
          },
          expires_at: {
            type: 'string',
          },
          next_run_at: {
            type: 'string',
          },
          last_run_at: {
            type: 'string',
          },
          last_run_status: {
            type: 'string',
            examples: ['succeeded'],
            'x-not-shown': 'All values.',
          },
          created_at: {
            type: 'string',
          },
          updated_at: {
            type: 'string',
          },
          parameters: {
            type: 'object',
            propertyNames: {
              type: 'string',
            },
            additionalProperties: {
              type: 'string',
            },
          },
        },
        additionalProperties: {},
        description: 'Section 2.2.',
        'x-not-shown': 'Which fields are required.',
      },
      ScheduledTransfer: {
        type: 'object',
        properties: {
          id: {
            type: 'string',
          },
          merchantAccount: {
            type: 'string',
          },
          currency: {
            type: 'string',
          },
          schedule: {
            type: 'string',
          },
          status: {
            type: 'string',
            'x-not-shown': 'Its values.',
          },
        },
        additionalProperties: {},
        description: 'Section 2.3.',
        'x-not-shown': 'Which fields are required.',
      },
      SplitFee: {
        type: 'object',
        properties: {
          partner_merchant_id: {
            type: 'integer',
          },
          type_id: {
            type: 'integer',
          },
          value: {
            type: 'number',
          },
          value_type: {
            type: 'string',
            examples: ['amount'],
            'x-not-shown': 'Other values.',
          },
        },
        required: ['partner_merchant_id', 'type_id', 'value', 'value_type'],
      },
    },
    securitySchemes: {
      apiKey: {
        type: 'apiKey',
        in: 'header',
        name: 'api_key',
      },
    },
  },
} as const;
