/** What the card form says, in one language. Test cards and what a bank says stay in English. */
export interface FormTexts {
  readonly locale: string;
  readonly dir: 'ltr' | 'rtl';
  readonly heading: string;
  readonly payTo: string;
  readonly reference: string;
  readonly amount: string;
  readonly number: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly securityCode: string;
  readonly securityCodeHint: string;
  readonly name: string;
  readonly pay: string;
  readonly back: string;
  readonly cancel: string;
  /** What the page's script says. */
  readonly script: {
    readonly numberMissing: string;
    readonly numberUnknown: string;
    readonly expiryWrong: string;
    readonly securityCodeWrong: string;
    readonly nameMissing: string;
    readonly paying: string;
    readonly wait: string;
    readonly unreachable: string;
    readonly approved: string;
  };
}

const ENGLISH: FormTexts = {
  locale: 'en',
  dir: 'ltr',
  heading: 'Pay by card',
  payTo: 'Pay to',
  reference: 'Reference',
  amount: 'Amount',
  number: 'Card number',
  expiry: 'Expiry date',
  expiryHint: 'MM/YY',
  securityCode: 'Security code',
  securityCodeHint: '3 or 4 digits',
  name: 'Name on card',
  pay: 'Pay',
  back: 'Back to the shop',
  cancel: 'Cancel',
  script: {
    numberMissing: 'Enter the card number.',
    numberUnknown: 'Use one of the test cards. Never use a real card in a sandbox.',
    expiryWrong: 'Enter the month and year, as MM/YY.',
    securityCodeWrong: 'Enter the 3 or 4 digits of the code.',
    nameMissing: 'Enter the name on the card.',
    paying: 'Paying…',
    wait: 'Paying. Please wait.',
    unreachable: 'The sandbox could not be reached. If you try again, you still pay only once.',
    approved: 'Payment approved.',
  },
};

const ARABIC: FormTexts = {
  locale: 'ar',
  dir: 'rtl',
  heading: 'الدفع بالبطاقة',
  payTo: 'الدفع إلى',
  reference: 'المرجع',
  amount: 'المبلغ',
  number: 'رقم البطاقة',
  expiry: 'تاريخ الانتهاء',
  expiryHint: 'شهر/سنة، مثل 12/39',
  securityCode: 'رمز الأمان',
  securityCodeHint: '3 أو 4 أرقام',
  name: 'الاسم على البطاقة',
  pay: 'ادفع',
  back: 'العودة إلى المتجر',
  cancel: 'إلغاء',
  script: {
    numberMissing: 'أدخل رقم البطاقة.',
    numberUnknown: 'استخدم إحدى بطاقات الاختبار. لا تستخدم بطاقة حقيقية هنا أبدًا.',
    expiryWrong: 'أدخل الشهر والسنة، مثل 12/39.',
    securityCodeWrong: 'أدخل أرقام رمز الأمان الثلاثة أو الأربعة.',
    nameMissing: 'أدخل الاسم المكتوب على البطاقة.',
    paying: 'جارٍ الدفع…',
    wait: 'جارٍ الدفع. يرجى الانتظار.',
    unreachable: 'تعذر الوصول. إذا حاولت مجددًا فستدفع مرة واحدة فقط.',
    approved: 'تمت الموافقة على الدفع.',
  },
};

/** The texts of a language tag such as `ar-EG`; English for those that the form does not speak. */
export function textsOf(language: string | undefined): FormTexts {
  return language !== undefined && /^ar\b/i.test(language) ? ARABIC : ENGLISH;
}
